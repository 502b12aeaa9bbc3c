// The script of a report: its figures, and its live part, whose simulation is compiled meanwhile.

import { figures } from "./figures.js";
import { live } from "./live.js";

await Promise.all([figures(), live()]);
