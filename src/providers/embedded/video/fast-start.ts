import {
  BufferSource,
  BufferTarget,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Input,
  MP4,
  Mp4OutputFormat,
  Output,
} from 'mediabunny'

/** The encoder converts colours by BT.601 at every size; players would guess BT.709 of large ones. */
const colorSpace = {
  primaries: 'bt709',
  transfer: 'bt709',
  matrix: 'smpte170m',
  fullRange: false,
} as const

/** The same stream with its index before it, so that a player can start while it downloads. */
export async function toFastStart(mp4: Uint8Array, framesPerSecond: number): Promise<Uint8Array> {
  using input = new Input({ source: new BufferSource(mp4), formats: [MP4] })
  const track = await input.getPrimaryVideoTrack()
  const decoderConfig = await track?.getDecoderConfig()
  if (!track || !decoderConfig) throw new Error('The encoder wrote no video track')

  const target = new BufferTarget()
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: 'in-memory' }), target })
  const source = new EncodedVideoPacketSource('avc')
  output.addVideoTrack(source, { frameRate: framesPerSecond })
  await output.start()
  // The encoder marks no key frames, which would make every frame one: look into the packets.
  const look = { verifyKeyPackets: true }
  for await (const packet of new EncodedPacketSink(track).packets(undefined, undefined, look)) {
    await source.add(packet, { decoderConfig: { ...decoderConfig, colorSpace } })
  }
  await output.finalize()
  if (!target.buffer) throw new Error('The film could not be written')
  return withoutTimes(new Uint8Array(target.buffer))
}

/** The writer notes the time of day; without it the same film is the same file. */
function withoutTimes(mp4: Uint8Array): Uint8Array {
  const view = new DataView(mp4.buffer)
  const containers = new Set(['moov', 'trak', 'mdia'])
  const dated = new Set(['mvhd', 'tkhd', 'mdhd'])
  const walk = (from: number, to: number) => {
    for (let at = from; at < to; at += view.getUint32(at)) {
      const name = String.fromCharCode(...mp4.subarray(at + 4, at + 8))
      if (containers.has(name)) walk(at + 8, at + view.getUint32(at))
      // Creation and modification, 8 bytes each in version 1 of the box, else 4.
      if (dated.has(name)) mp4.fill(0, at + 12, at + 12 + (mp4[at + 8] === 1 ? 16 : 8))
      if (name === 'mdat') return
    }
  }
  walk(0, mp4.length)
  return mp4
}
