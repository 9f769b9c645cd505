// Reads what a caption needs from a TrueType file: which characters it draws, and how wide.

export type Font = {
  covers(codePoint: number): boolean
  /** In ems. */
  advance(codePoint: number): number
}

export function readFont(file: Uint8Array): Font {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const tables = new Map<string, number>()
  for (let i = 0; i < view.getUint16(4); i++) {
    const entry = 12 + i * 16
    const tag = String.fromCharCode(...file.subarray(entry, entry + 4))
    tables.set(tag, view.getUint32(entry + 8))
  }
  const offset = (tag: string) => {
    const found = tables.get(tag)
    if (found === undefined) throw new Error(`The font has no ${tag} table`)
    return found
  }
  const unitsPerEm = view.getUint16(offset('head') + 18)
  const metricCount = view.getUint16(offset('hhea') + 34)
  const metrics = offset('hmtx')
  const glyphs = readCharacterMap(view, offset('cmap'))
  return {
    covers: (codePoint) => glyphs.has(codePoint),
    advance: (codePoint) => {
      const glyph = Math.min(glyphs.get(codePoint) ?? 0, metricCount - 1)
      return view.getUint16(metrics + glyph * 4) / unitsPerEm
    },
  }
}

function readCharacterMap(view: DataView, cmap: number): Map<number, number> {
  for (let i = 0; i < view.getUint16(cmap + 2); i++) {
    const table = cmap + view.getUint32(cmap + 4 + i * 8 + 4)
    const format = view.getUint16(table)
    if (format === 4) return readSegments(view, table)
    if (format === 12) return readGroups(view, table)
  }
  throw new Error('The font has no character map of format 4 or 12')
}

/** Format 4: segments of 16-bit codes. */
function readSegments(view: DataView, table: number): Map<number, number> {
  const glyphs = new Map<number, number>()
  const size = view.getUint16(table + 6)
  const ends = table + 14
  const starts = ends + size + 2
  for (let i = 0; i < size; i += 2) {
    const start = view.getUint16(starts + i)
    const delta = view.getUint16(starts + size + i)
    const at = starts + 2 * size + i
    const range = view.getUint16(at)
    for (let code = start; code <= view.getUint16(ends + i) && code < 0xffff; code++) {
      const listed = range === 0 ? code : view.getUint16(at + range + (code - start) * 2)
      const glyph = listed === 0 ? 0 : (listed + delta) & 0xffff
      if (glyph !== 0) glyphs.set(code, glyph)
    }
  }
  return glyphs
}

/** Format 12: groups of 32-bit codes. */
function readGroups(view: DataView, table: number): Map<number, number> {
  const glyphs = new Map<number, number>()
  for (let i = 0; i < view.getUint32(table + 12); i++) {
    const group = table + 16 + i * 12
    const start = view.getUint32(group)
    const first = view.getUint32(group + 8)
    for (let code = start; code <= view.getUint32(group + 4); code++) {
      glyphs.set(code, first + code - start)
    }
  }
  return glyphs
}
