// All of a page's script that is not compressed: it runs the rest, which is in #program.

import { run } from "./packed.js";

await run("program", "module");
