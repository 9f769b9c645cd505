/** What stays free around the outermost nodes. */
const margin = 16
const smallestZoom = 0.1

/** All of the graph, as large as its frame allows; below it are the buttons in the corner. */
export const wholeGraph = { maxZoom: 1, padding: { x: '24px', y: '56px' } } as const

type View = { readonly x: number; readonly y: number; readonly zoom: number }
export type FrameSize = { readonly width: number; readonly height: number }
type Box = FrameSize & { readonly x: number; readonly y: number }

/**
 * Where to look at a graph whose frame had one size and now has another, so that what was visible
 * stays so: moved aside, and smaller if that is not enough. Only a graph that was visible as a whole
 * becomes smaller: people who look at a part of it have chosen how large.
 */
export function viewWithin(
  view: View,
  boxes: readonly Box[],
  { had, now }: { had: FrameSize; now: FrameSize },
): View {
  const visible = boxes.filter((box) => isInside(box, view, had))
  if (visible.length === 0) return view
  const all = around(visible)
  const room = { width: now.width - 2 * margin, height: now.height - 2 * margin }
  const fit = Math.min(room.width / all.width, room.height / all.height)
  const isWhole = visible.length === boxes.length
  if (view.zoom > fit && !isWhole) return view
  const zoom = Math.min(view.zoom, Math.max(smallestZoom, fit))
  const start = view.x + all.x * view.zoom
  const middle = (had.height / 2 - view.y) / view.zoom
  const top = zoom === view.zoom ? view.y : now.height / 2 - middle * zoom
  return {
    x: pushed(start, all.width * zoom, now.width) - all.x * zoom,
    y: pushed(top + all.y * zoom, all.height * zoom, now.height) - all.y * zoom,
    zoom,
  }
}

const isInside = ({ x, y, width, height }: Box, view: View, frame: FrameSize): boolean =>
  view.x + x * view.zoom >= -1 &&
  view.y + y * view.zoom >= -1 &&
  view.x + (x + width) * view.zoom <= frame.width + 1 &&
  view.y + (y + height) * view.zoom <= frame.height + 1

/** Where something starts on screen, moved no further than it must to end before the edge. */
const pushed = (start: number, length: number, room: number): number =>
  start + length <= room - margin && start >= 0
    ? start
    : Math.max(margin, Math.min(start, room - margin - length))

function around(boxes: readonly Box[]): Box {
  const x = Math.min(...boxes.map((box) => box.x))
  const y = Math.min(...boxes.map((box) => box.y))
  return {
    x,
    y,
    width: Math.max(...boxes.map((box) => box.x + box.width)) - x,
    height: Math.max(...boxes.map((box) => box.y + box.height)) - y,
  }
}

/** The view in which one node is visible: moved as little as possible, or to it if it was far away. */
export function withNodeIn(view: View, box: Box, now: FrameSize): View {
  if (isInside(box, view, now)) return view
  const { zoom } = view
  const [left, top] = [view.x + box.x * zoom, view.y + box.y * zoom]
  const [width, height] = [box.width * zoom, box.height * zoom]
  const isFar = left > now.width || top > now.height || left + width < 0 || top + height < 0
  const x = isFar ? (now.width - width) / 2 : pushed(left, width, now.width)
  const y = isFar ? (now.height - height) / 2 : pushed(top, height, now.height)
  return { x: view.x + x - left, y: view.y + y - top, zoom }
}
