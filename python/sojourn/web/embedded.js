// A report in a frame of the workbench. The frame is as high as the report, and the page around it scrolls to what its links lead to.

/** Tells the page around this one, if there is one. */
export function embedded() {
  if (parent === window) return;
  const root = document.documentElement;
  const tell = (/** @type {object} */ what) => parent.postMessage(what, "*");
  new ResizeObserver(() => tell({ height: root.offsetHeight })).observe(root);
  addEventListener("hashchange", () => tell({ top: document.getElementById(location.hash.slice(1))?.getBoundingClientRect().top }));
}
