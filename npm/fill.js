// Fills the packages of npm from what goreleaser built.
//
// node npm/fill.js DIST OUT [PLATFORM…] reads DIST/metadata.json and DIST/artifacts.json,
// and writes the folder OUT/precis, which users install, and OUT/precis-PLATFORM for each
// platform (linux-x64 …), or for those named, with the program in it.
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const [dist, out, ...wanted] = process.argv.slice(2)
if (!out) {
  console.error('usage: node npm/fill.js DIST OUT [PLATFORM…]')
  process.exit(2)
}
const here = dirname(fileURLToPath(import.meta.url))
const root = dirname(here)
const read = path => JSON.parse(readFileSync(path, 'utf8'))
const { version } = read(join(dist, 'metadata.json'))
const cpus = { amd64: 'x64', arm64: 'arm64' }
const systems = { linux: 'linux', darwin: 'darwin', windows: 'win32' }

const main = { ...read(join(here, 'package.json')), version, optionalDependencies: {} }
for (const os of Object.values(systems)) {
  for (const cpu of Object.values(cpus)) main.optionalDependencies[`${main.name}-${os}-${cpu}`] = version
}
const missing = new Set(Object.keys(main.optionalDependencies))

// folder writes a package of files that are copied.
function folder(name, about, files) {
  const dir = join(out, name)
  rmSync(dir, { recursive: true, force: true })
  for (const [to, from] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, to)), { recursive: true })
    copyFileSync(from, join(dir, to))
  }
  writeFileSync(join(dir, 'package.json'), JSON.stringify(about, null, 2) + '\n')
  return dir
}

const programs = read(join(dist, 'artifacts.json')).filter(a => a.type === 'Binary')
for (const { goos, goarch, path } of programs) {
  const os = systems[goos], cpu = cpus[goarch], platform = `${os}-${cpu}`
  if (!missing.delete(`${main.name}-${platform}`)) throw new Error(`a program for ${goos}/${goarch} has no package`)
  if (wanted.length > 0 && !wanted.includes(platform)) continue
  const file = `bin/precis${os === 'win32' ? '.exe' : ''}`
  const dir = folder(`precis-${platform}`, {
    name: `${main.name}-${platform}`,
    version,
    description: `precis for ${platform}; install ${main.name}`,
    license: main.license,
    homepage: main.homepage,
    repository: main.repository,
    os: [os],
    cpu: [cpu],
    preferUnplugged: true,
  }, {
    [file]: resolve(dirname(resolve(dist)), path),
    LICENSE: join(root, 'LICENSE'),
    'NOTICES.txt': join(root, 'internal/notices/notices.txt'),
  })
  chmodSync(join(dir, file), 0o755)
}
if (wanted.length === 0 && missing.size > 0) throw new Error(`${dist} has no program for ${[...missing].join(', ')}`)
folder('precis', main, {
  'precis.js': join(here, 'precis.js'),
  'README.md': join(here, 'README.md'),
  LICENSE: join(root, 'LICENSE'),
})
