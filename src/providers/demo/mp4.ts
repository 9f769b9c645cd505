// Encodes frames as H.264 Baseline in an MP4. Must run in a worker thread: the encoder takes over
// the process's handlers for uncaught errors, and it blocks.
import hme from 'h264-mp4-encoder'
import * as media from 'mediabunny'
import type { Size } from './art/canvas.ts'

export const framesPerSecond = 24

export async function encodeMp4({ width, height }: Size, frames: AsyncIterable<Uint8Array>) {
  const encoder = await hme.createH264MP4Encoder()
  try {
    encoder.width = width
    encoder.height = height
    encoder.frameRate = framesPerSecond
    encoder.groupOfPictures = framesPerSecond
    encoder.quantizationParameter = 25
    encoder.speed = 6
    encoder.initialize()
    for await (const rgba of frames) encoder.addFrameRgba(rgba)
    encoder.finalize()
    const file = encoder.FS.readFile(encoder.outputFilename)
    encoder.FS.unlink(encoder.outputFilename)
    return withoutTimes(await toFastStart(file))
  } finally {
    encoder.delete()
  }
}

/** The encoder uses BT.601 at every size; for large videos players would guess BT.709. */
const colorSpace = {
  primaries: 'bt709',
  transfer: 'bt709',
  matrix: 'smpte170m',
  fullRange: false,
} as const

/** The same stream with its index first, so that a player can start while it downloads. */
async function toFastStart(mp4: Uint8Array): Promise<Buffer> {
  using input = new media.Input({ source: new media.BufferSource(mp4), formats: [media.MP4] })
  const track = await input.getPrimaryVideoTrack()
  const decoderConfig = await track?.getDecoderConfig()
  if (!track || !decoderConfig) throw new Error('The encoder wrote no video track')

  const target = new media.BufferTarget()
  const format = new media.Mp4OutputFormat({ fastStart: 'in-memory' })
  const output = new media.Output({ format, target })
  const source = new media.EncodedVideoPacketSource('avc')
  output.addVideoTrack(source, { frameRate: framesPerSecond })
  await output.start()
  // The encoder does not mark key frames, so every frame would count as one: check the packets.
  const look = { verifyKeyPackets: true }
  const packets = new media.EncodedPacketSink(track).packets(undefined, undefined, look)
  for await (const packet of packets) {
    await source.add(packet, { decoderConfig: { ...decoderConfig, colorSpace } })
  }
  await output.finalize()
  if (!target.buffer) throw new Error('The film could not be written')
  return Buffer.from(target.buffer)
}

/** Removes the times that the muxer writes, so that the same video is the same file. */
function withoutTimes(mp4: Buffer): Buffer {
  // One track, so one box of each name, and all of them before the first byte of the stream.
  for (const box of ['mvhd', 'tkhd', 'mdhd']) {
    const version = mp4.indexOf(box, 'latin1') + box.length
    // Creation and modification time, 8 bytes each in version 1 of the box, else 4.
    mp4.fill(0, version + 4, version + 4 + (mp4[version] === 1 ? 16 : 8))
  }
  return mp4
}
