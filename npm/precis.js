#!/usr/bin/env node
// Starts the program of this platform, which is in a package of its own: its standard
// streams, its exit code and the signals are those of this process.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { isatty } from 'node:tty'

const own = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))
const platform = `${own.name}-${process.platform}-${process.arch}`
const file = process.platform === 'win32' ? 'precis.exe' : 'precis'

let program
try {
  program = createRequire(import.meta.url).resolve(`${platform}/bin/${file}`)
} catch {
  console.error(`precis: there is no program for this platform: npm did not install ${platform}@${own.version}`)
  console.error(`hint: install with optional dependencies; ${own.homepage} has the other ways to get precis`)
  process.exit(1)
}

const child = spawn(program, process.argv.slice(2), { stdio: 'inherit' })
// A terminal sends SIGINT and SIGHUP to the program, too: there they must only not end this
// process before it, and a second one would end it at once.
const terminal = [0, 1, 2].some(isatty)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => { if (!terminal || signal === 'SIGTERM') child.kill(signal) })
}
child.on('error', err => {
  console.error(`precis: start ${program}: ${err.message}`)
  process.exit(1)
})
child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
