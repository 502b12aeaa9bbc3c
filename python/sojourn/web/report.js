// The script of a report: its figures, and its live part, whose simulation is compiled meanwhile.

import { embedded } from "./embedded.js";
import { figures, library } from "./figures.js";
import { live } from "./live.js";

embedded();
await Promise.all([figures(), live(library)]);
