// What has no upper end and what is not reached, as the figures of reports show it (`figures/open_ends.py`): faded up to the edge
// with an arrow, and crosses at it.

const CROSS = "M-0.75,-0.75L0.75,0.75M-0.75,0.75L0.75,-0.75";
const TOOLTIP = [{ field: "label", title: " " }];
const SHADE = 0.2;

/** Where an axis ends that something without an upper end reaches up to. @param {number[]} values @param {boolean} isLog */
export const topOf = (values, isLog) => (Math.max(...values) || 1) * (isLog ? 1.6 : 1.15);

/**
 * The bands of lines: between neighbours with an interval, faded up to the top where one of the two has no upper end.
 *
 * @param {any[]} rows in the order of x
 * @param {number} top
 * @param {Record<string, string>} colours by statistic
 * @param {object} x
 * @param {object} y
 */
export function openBands(rows, top, colours, x, y) {
  const bands = Object.entries(colours).flatMap(([statistic, colour]) =>
    [...new Set(rows.map(row => row.side))].flatMap(side => {
      const own = rows.filter(row => row.statistic === statistic && row.side === side);
      return own.slice(1).flatMap((second, index) => {
        const pair = [own[index], second];
        if (pair.some(row => row.low === null)) return [];
        const isOpen = pair.some(row => row.high === null);
        return [{ colour, isOpen, values: pair.map(row => ({ x: row.x, low: row.low, high: row.high ?? top })) }];
      });
    }));
  return bands.map(({ colour, isOpen, values }) => ({
    data: { values },
    mark: { type: "area", aria: false, clip: true, ...(isOpen ? { color: fading(colour) } : { color: colour, opacity: SHADE }) },
    encoding: { x, y: { ...y, field: "low" }, y2: { field: "high" } },
  }));
}

/** A colour that fades out towards the top. @param {string} colour */
function fading(colour) {
  const parts = [1, 3, 5].map(index => parseInt(colour.slice(index, index + 2), 16)).join(",");
  const stops = [[0, SHADE], [1, 0.02]].map(([offset, share]) => ({ offset, color: `rgba(${parts},${share})` }));
  return { gradient: "linear", x1: 0, y1: 1, x2: 0, y2: 0, stops };
}

/** Intervals without an upper end, dashed to the right edge. @param {any[]} rows @param {object} place */
export function openWhiskers(rows, place) {
  const values = rows.filter(row => row.high === null && row.low !== null);
  return values.length ? [{ data: { values }, mark: { type: "rule", aria: false, strokeWidth: 2, strokeDash: [3, 3], opacity: 0.6 }, encoding: { ...place, x2: { value: "width" } } }] : [];
}

/** Arrows at the edge, with their entry in the legend. @param {any[]} rows @param {object} place @param {string} shape */
export function arrows(rows, place, shape) {
  const values = rows.filter(row => row.kind === "open above");
  return values.length ? [{ data: { values }, mark: { type: "point", shape, filled: true, opacity: 1 }, encoding: { ...place, ...named("size", "no upper end", shape, 50), tooltip: TOOLTIP, description: { field: "label" } } }] : [];
}

/** Crosses at the edge where a percentile is not reached, with their entry in the legend. @param {any[]} rows @param {object} place */
export function crosses(rows, place) {
  const values = rows.filter(row => row.kind === "not reached");
  return values.length ? [{ data: { values }, mark: { type: "point", shape: CROSS, size: 60, filled: false, opacity: 1 }, encoding: { ...place, ...named("strokeWidth", "not reached", CROSS, 2), tooltip: TOOLTIP, description: { field: "label" } } }] : [];
}

/** An entry of the legend for marks of one meaning. @param {string} channel @param {string} name @param {string} shape @param {number} value */
function named(channel, name, shape, value) {
  const ink = getComputedStyle(document.documentElement).getPropertyValue("--ink").trim();
  const symbol = { symbolType: shape, symbolStrokeColor: ink, symbolStrokeWidth: 1.8, symbolSize: 60, symbolFillColor: shape === CROSS ? "transparent" : ink };
  return { [channel]: { datum: name, type: "nominal", scale: { type: "ordinal", domain: [name], range: [value] }, legend: { title: null, orient: "top", direction: "horizontal", ...symbol } } };
}
