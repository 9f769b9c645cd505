// @ts-check
// Decodes pictures that strangers made, in WebAssembly inside a process of its own: whatever a
// decoder does wrong stays in a memory that is thrown away, and that cannot grow past its bound.
import { createRequire } from 'node:module'
import { serveJobs } from '#isolation/job-loop.mjs'

/** @typedef {{ width: number, sizeBytes: number }} ThumbnailJob */

/**
 * Node's types leave this to the types of browsers.
 * @type {{
 *   Memory: new (pages: { initial: number, maximum: number, shared: true }) => object,
 *   RuntimeError: new (message?: string) => Error
 * }}
 */
const { Memory, RuntimeError } = Reflect.get(globalThis, 'WebAssembly')

const [, , libraryPath = '', limitMs = '', maxMegapixels = ''] = process.argv
const maxPixels = Number(maxMegapixels) * 1_000_000
const pageBytes = 64 * 1024
// A picture of 50 megapixels that must be decoded as a whole takes 150 MB, and as much again in
// the decoders of AVIF. The least that the library starts with is 64 MiB.
const memory = { initial: 64 * 2 ** 20, maximum: 512 * 2 ** 20 }

const settings = {
  dynamicLibraries: ['vips-heif.wasm'],
  wasmMemory: new Memory({
    initial: memory.initial / pageBytes,
    maximum: memory.maximum / pageBytes,
    shared: true,
  }),
  // Standard output is for answers.
  print: () => {},
  printErr: () => {},
}
/** @type {typeof import('wasm-vips')} */
const load = createRequire(import.meta.url)(libraryPath)
const vips = await load(settings)
vips.concurrency(1)
vips.Cache.max(0)
// Only the types that are stored, of the dozens that the library knows.
vips.operationBlock('VipsForeignLoad', true)
for (const type of ['Png', 'Jpeg', 'Webp', 'Nsgif', 'Heif']) {
  vips.operationBlock(`VipsForeignLoad${type}`, false)
}

await serveJobs(
  Number(limitMs),
  async (line, _watch, read) => {
    /** @type {ThumbnailJob} */
    const { width, sizeBytes } = JSON.parse(line)
    return JSON.stringify(thumbnail(read(sizeBytes), width))
  },
  { startsThreads: true },
)

/**
 * @param {Buffer} bytes
 * @param {number} width
 */
function thumbnail(bytes, width) {
  try {
    using whole = vips.Image.newFromBuffer(bytes)
    if (whole.width * whole.height > maxPixels) return { error: 'It has too many pixels.' }
    // Upright as its EXIF data say, of an animation the first picture. The height bounds what a
    // narrow strip would take.
    using small = vips.Image.thumbnailBuffer(bytes, width, { height: 4 * width, size: 'down' })
    // Without its metadata: they may say where a photograph was taken.
    const webp = small.webpsaveBuffer({ Q: 80, keep: 'none' })
    return { value: Buffer.from(webp).toString('base64') }
  } catch (error) {
    // The library cannot be used any more; the next job gets another process.
    if (error instanceof RuntimeError) throw error
    return { error: String(error).slice(0, 300) }
  }
}
