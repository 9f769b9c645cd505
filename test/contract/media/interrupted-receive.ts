// Receives a blob, says so, and waits to be killed before it is kept.
import { systemClock } from '#core/clock.ts'
import { openFileBlobs } from '#media/file-blobs.ts'

const [folder = ''] = process.argv.slice(2)
const blobs = await openFileBlobs({ folder, clock: systemClock })
async function* source() {
  yield Buffer.from('half a picture')
}
await blobs.receive(source(), { maxBytes: 1_000 })
process.stdout.write('received\n')
setInterval(() => {}, 1_000)
