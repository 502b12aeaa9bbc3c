// The script of a report: its figures, then its live part.

import { figures } from "./figures.js";
import { live } from "./live.js";

await figures();
await live();
