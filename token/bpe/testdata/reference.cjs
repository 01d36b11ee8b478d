// Fills vectors.json with the counts of npm tiktoken (WebAssembly of OpenAI's
// own code), which is the reference of the tests here.
//
//   npm install tiktoken@1.0.22 && node reference.cjs
const fs = require("fs");
const path = require("path");
const { get_encoding } = require("tiktoken");

const file = path.join(__dirname, "vectors.json");
const vectors = JSON.parse(fs.readFileSync(file, "utf8"));
const o200k = get_encoding("o200k_base");
const cl100k = get_encoding("cl100k_base");

// every is each character of a block between texts whose counts show its class.
function every(block) {
  let text = "";
  for (let c = block; c < block + 4096; c++) {
    if (c >= 0xd800 && c < 0xe000) continue;
    const s = String.fromCodePoint(c);
    text += `${s}'s ${s}123 x${s}'s${s} `;
  }
  return text;
}

// replaced reads bytes with U+FFFD for each that is not part of a character.
function replaced(bytes) {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let text = "";
  for (let i = 0; i < bytes.length; ) {
    const before = i;
    for (let n = 4; n > 0 && i === before; n--) {
      try {
        const s = decoder.decode(bytes.subarray(i, i + n));
        text += s;
        i += Math.min(n, bytes.length - i);
      } catch {}
    }
    if (i === before) {
      text += "\ufffd";
      i++;
    }
  }
  return text;
}

for (const v of vectors) {
  let text = (v.text ?? "").repeat(v.repeat ?? 1);
  if (v.block !== undefined) text = every(v.block);
  if (v.bytes !== undefined) text = replaced(Buffer.from(v.bytes, "base64"));
  v.o200k = o200k.encode_ordinary(text).length;
  v.cl100k = cl100k.encode_ordinary(text).length;
}
const lines = vectors.map((v) => JSON.stringify(v));
fs.writeFileSync(file, "[\n" + lines.join(",\n") + "\n]\n");
