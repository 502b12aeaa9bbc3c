// What draws the figures of pages, bundled by `npm run vega`: `chart.js` calls it.

import vegaEmbed from "vega-embed";

window.vegaEmbed = vegaEmbed;
