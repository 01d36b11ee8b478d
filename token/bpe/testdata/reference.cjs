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
for (const v of vectors) {
  const text = v.text.repeat(v.repeat ?? 1);
  v.o200k = o200k.encode_ordinary(text).length;
  v.cl100k = cl100k.encode_ordinary(text).length;
}
const lines = vectors.map((v) => JSON.stringify(v));
fs.writeFileSync(file, "[\n" + lines.join(",\n") + "\n]\n");
