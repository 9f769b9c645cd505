// A small parser of our own, on purpose: one wrong byte in a file kept a general media library
// busy for seconds or forever. This one visits a bounded number of boxes and reads only headers.

export type MovieFacts = {
  width?: number
  height?: number
  durationSeconds?: number
  hasAudio: boolean
}

/** Returns fewer bytes than asked for at the end of the file. */
type ReadAt = (offset: number, length: number) => Promise<Buffer>

type Box = { type: string; start: number; end: number }
type BoxReader = {
  within(start: number, end: number): AsyncGenerator<Box>
  read(box: Box, length: number): Promise<Buffer>
}

const maxBoxes = 2_000

/** Facts from the `moov` box of an MP4 or QuickTime file; null if it has no readable one. */
export async function movieFacts(readAt: ReadAt, sizeBytes: number): Promise<MovieFacts | null> {
  const boxes = boxReader(readAt)
  for await (const box of boxes.within(0, sizeBytes)) {
    if (box.type === 'moov') return readMovie(boxes, box)
  }
  return null
}

function boxReader(readAt: ReadAt): BoxReader {
  let left = maxBoxes
  return {
    /** ISO/IEC 14496-12 §4.2: a box has a size and a type; size 1 means a 64-bit size follows. */
    async *within(start, end) {
      for (let at = start; at + 8 <= end; ) {
        if (left-- <= 0) return
        const header = await readAt(at, 16)
        if (header.length < 8) return
        const short = header.readUInt32BE(0)
        if (short === 1 && header.length < 16) return
        const headerBytes = short === 1 ? 16 : 8
        const boxBytes = short === 1 ? Number(header.readBigUInt64BE(8)) : short || end - at
        if (boxBytes < headerBytes || at + boxBytes > end) return
        yield { type: header.toString('latin1', 4, 8), start: at + headerBytes, end: at + boxBytes }
        at += boxBytes
      }
    },
    read: (box, length) => readAt(box.start, Math.min(length, box.end - box.start)),
  }
}

async function readMovie(boxes: BoxReader, moov: Box): Promise<MovieFacts> {
  const facts: MovieFacts = { hasAudio: false }
  let timescale = 0
  let ticks = 0
  for await (const box of boxes.within(moov.start, moov.end)) {
    if (box.type === 'mvhd') ({ timescale, ticks } = movieHeader(await boxes.read(box, 32)))
    if (box.type === 'mvex') ticks ||= await fragmentTicks(boxes, box)
    if (box.type !== 'trak') continue
    const { size, handler } = await readTrack(boxes, box)
    if (handler === 'soun') facts.hasAudio = true
    if (handler === 'vide' && size && facts.width === undefined) Object.assign(facts, size)
  }
  if (timescale > 0 && ticks > 0) {
    facts.durationSeconds = Math.round((ticks / timescale) * 1_000) / 1_000
  }
  return facts
}

async function readTrack(boxes: BoxReader, trak: Box) {
  let size: { width: number; height: number } | null = null
  let handler = ''
  for await (const box of boxes.within(trak.start, trak.end)) {
    if (box.type === 'tkhd') size = trackSize(await boxes.read(box, 96))
    if (box.type !== 'mdia') continue
    for await (const inner of boxes.within(box.start, box.end)) {
      if (inner.type === 'hdlr') handler = (await boxes.read(inner, 12)).toString('latin1', 8, 12)
    }
  }
  return { size, handler }
}

/** A fragmented file, written while recording, states its duration here if anywhere. */
async function fragmentTicks(boxes: BoxReader, mvex: Box): Promise<number> {
  for await (const box of boxes.within(mvex.start, mvex.end)) {
    if (box.type === 'mehd') return ticksAt(await boxes.read(box, 12), { short: 4, long: 4 })
  }
  return 0
}

function movieHeader(bytes: Buffer): { timescale: number; ticks: number } {
  const at = bytes[0] === 1 ? 20 : 12
  const timescale = bytes.length < at + 4 ? 0 : bytes.readUInt32BE(at)
  return { timescale, ticks: ticksAt(bytes, { short: 16, long: 24 }) }
}

/** Version 1 has 64-bit durations. All bits set means that the duration is unknown. */
function ticksAt(bytes: Buffer, at: { short: number; long: number }): number {
  if (bytes[0] === 1) {
    const ticks = bytes.length < at.long + 8 ? 0n : bytes.readBigUInt64BE(at.long)
    return ticks === 2n ** 64n - 1n ? 0 : Number(ticks)
  }
  const ticks = bytes.length < at.short + 4 ? 0 : bytes.readUInt32BE(at.short)
  return ticks === 2 ** 32 - 1 ? 0 : ticks
}

/** The size as displayed: rotation by 90° swaps the sides. Sizes are 16.16 fixed point. */
function trackSize(bytes: Buffer): { width: number; height: number } | null {
  const matrix = bytes[0] === 1 ? 52 : 40
  if (bytes.length < matrix + 44) return null
  const width = Math.round(bytes.readUInt32BE(matrix + 36) / 65_536)
  const height = Math.round(bytes.readUInt32BE(matrix + 40) / 65_536)
  if (width === 0 || height === 0) return null
  const isRotated = bytes.readInt32BE(matrix) === 0 && bytes.readInt32BE(matrix + 16) === 0
  return isRotated ? { width: height, height: width } : { width, height }
}
