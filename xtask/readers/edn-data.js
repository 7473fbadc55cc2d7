// What edn-data reads, a reader of EDN in JavaScript.
const { execSync } = require("child_process");
const fs = require("fs");
const path = require("path");

const folder = path.join(execSync("npm root --global", { encoding: "utf8" }).trim(), "edn-data");
if (process.argv[2] === "--version") {
  console.log(require(path.join(folder, "package.json")).version);
  process.exit(0);
}
const { EDNListParser } = require(path.join(folder, "dist", "parse.js"));

const tagHandlers = { inst: (val) => ({ tag: "inst", val }) };

function token(out, tag, text) {
  const octets = Buffer.from(text, "utf8");
  out.push(Buffer.from(`${tag}${octets.length}:`), octets, Buffer.from("\n"));
}

function all(out, open, values, close) {
  out.push(Buffer.from(open));
  values.forEach((value) => show(out, value));
  out.push(Buffer.from(close));
}

function show(out, value) {
  if (typeof value === "string") token(out, "S", value);
  else if (value === null) token(out, "Y", "nil");
  else if (Array.isArray(value)) all(out, "[", value, "]");
  else if (typeof value !== "object") token(out, typeof value === "boolean" ? "Y" : "N", String(value));
  else if ("sym" in value) token(out, "Y", value.sym);
  else if ("key" in value) token(out, "Y", ":" + value.key);
  else if ("char" in value) token(out, "C", String(value.char.codePointAt(0)));
  else if ("list" in value) all(out, "(", value.list, ")");
  // Ours leaves a map of more than eight pairs alone, since others lose their order.
  else if ("map" in value && value.map.length > 8) token(out, "N", "{}");
  else if ("map" in value) all(out, "(", value.map.flat(), ")");
  else if ("set" in value) token(out, "N", "#{}");
  else if ("tag" in value) all(out, "(", [{ sym: "#" + value.tag }, value.val], ")");
  else throw new Error("unknown value");
}

for (const name of process.argv.slice(2)) {
  const out = [];
  token(out, "F", name);
  try {
    // The parser reads what is in a list.
    const parser = new EDNListParser({ tagHandlers });
    const values = parser.next("(" + fs.readFileSync(name, "utf8") + "\n)");
    values.forEach((value) => show(out, value));
    if (!parser.isDone()) throw new Error("the end is missing");
    out.push(Buffer.from("."));
  } catch (fault) {
    token(out, "!", String(fault));
  }
  fs.writeSync(1, Buffer.concat(out));
}
