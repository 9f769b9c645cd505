/** What stays free beside the outermost nodes. */
const margin = 16
/** Below this, cards show only their titles. A graph that was as small may become smaller yet. */
const legibleZoom = 0.5
const smallestZoom = 0.1

type View = { readonly x: number; readonly y: number; readonly zoom: number }
type Bounds = { readonly x: number; readonly width: number }

/**
 * Where to look at a graph whose frame has become narrower: moved aside, and smaller if it does not
 * fit otherwise. A graph that was not wholly visible before stays where it is.
 */
export function viewWithin(
  view: View,
  { x: left, width: wide }: Bounds,
  { had, width, height }: { had: number; width: number; height: number },
): View {
  const { x, y, zoom } = view
  const [start, end] = [x + left * zoom, x + (left + wide) * zoom]
  const wasVisible = wide > 0 && start >= 0 && end <= had
  if (!wasVisible || end <= width - margin) return view
  const least = zoom < legibleZoom ? smallestZoom : legibleZoom
  const next = Math.min(zoom, Math.max(least, (width - 2 * margin) / wide))
  const middle = (height / 2 - y) / zoom
  const newStart = Math.max(margin, Math.min(start, width - margin - wide * next))
  return { x: newStart - left * next, y: height / 2 - middle * next, zoom: next }
}
