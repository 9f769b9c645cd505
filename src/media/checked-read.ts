import { createHash } from 'node:crypto'
import { pipeline, type Readable, Transform } from 'node:stream'
import { BlobDamaged, type ByteRange, isContentOf } from './blob-store.ts'

/**
 * Passes the bytes of a blob on and fails with BlobDamaged if they are not what was kept: by their
 * checksum, or in a part of it by their number. The last piece is held back until then, so that nobody
 * takes a damaged blob for a whole one.
 */
export function checkedRead(
  source: Readable,
  name: string,
  {
    range,
    sizeBytes = Number.POSITIVE_INFINITY,
  }: { range?: ByteRange | undefined; sizeBytes?: number | undefined },
): Readable {
  // Players ask for the whole of a film as a range.
  const part = range?.start === 0 && range.end === sizeBytes - 1 ? undefined : range
  const hash = createHash('sha256')
  let bytes = 0
  let held: Uint8Array | undefined
  const damaged = () => new BlobDamaged(name, `its ${bytes} bytes are not those that were kept`)
  const isWhole = () =>
    part ? bytes === part.end - part.start + 1 : isContentOf(name, hash.digest('hex'))
  const checking = new Transform({
    transform(piece: Uint8Array, _encoding, done) {
      if (!part) hash.update(piece)
      bytes += piece.length
      if (bytes > sizeBytes) return done(damaged())
      const before = held
      held = piece
      done(null, before)
    },
    flush(done) {
      if (isWhole()) done(null, held)
      else done(damaged())
    },
  })
  // Whoever reads sees the error on the stream itself.
  pipeline(source, checking, () => {})
  return checking
}
