import { crc32, deflateSync } from 'node:zlib'
import hme from 'h264-mp4-encoder'
import {
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedVideoPacketSource,
  Mp4OutputFormat,
  Output,
} from 'mediabunny'

type Size = { width: number; height: number }

const ascii = (text: string) => Buffer.from(text, 'latin1')
const u16be = (value: number) => Buffer.from([value >> 8, value & 0xff])
const u16le = (value: number) => Buffer.from([value & 0xff, value >> 8])
export const u32be = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** A picture that can be decoded; another `shade` gives another picture of the same size. */
export function png({ width, height, shade = 0 }: Size & { shade?: number }): Buffer {
  const chunk = (type: string, body: Buffer) => {
    const named = Buffer.concat([ascii(type), body])
    return Buffer.concat([u32be(body.length), named, u32be(crc32(named))])
  }
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width, shade)])
  const rows = Buffer.concat(Array.from({ length: height }, () => row))
  return Buffer.concat([
    ascii('\x89PNG\r\n\x1a\n'),
    chunk('IHDR', Buffer.concat([u32be(width), u32be(height), Buffer.from([8, 0, 0, 0, 0])])),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** A JPEG up to its frame header, with `profileBytes` before that, like a camera's preview. */
export function jpeg({ width, height, profileBytes = 0 }: Size & { profileBytes?: number }) {
  const segment = (marker: number, body: Buffer) =>
    Buffer.concat([Buffer.from([0xff, marker]), u16be(body.length + 2), body])
  const profiles = []
  for (let left = profileBytes; left > 0; left -= 65_000) {
    // Contains what looks like a frame header, as an embedded preview does.
    const preview = Buffer.from([0xff, 0xc0, 0, 17, 8, 0, 9, 0, 9])
    profiles.push(segment(0xe2, Buffer.concat([preview, Buffer.alloc(Math.min(left, 65_000))])))
  }
  const frame = Buffer.concat([Buffer.from([8]), u16be(height), u16be(width), Buffer.alloc(10, 1)])
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, ascii('JFIF\0\x01\x01\0\0\x01\0\x01\0\0')),
    ...profiles,
    segment(0xc4, Buffer.alloc(20)),
    segment(0xc2, frame),
    Buffer.from([0xff, 0xd9]),
  ])
}

export const gif = ({ width, height }: Size): Buffer =>
  Buffer.concat([ascii('GIF89a'), u16le(width), u16le(height), Buffer.from([0, 0, 0, 0x3b])])

export function webp(form: 'lossy' | 'lossless' | 'extended', { width, height }: Size): Buffer {
  const u24le = (value: number) => Buffer.from([value, value >> 8, value >> 16])
  const bits = Buffer.alloc(4)
  bits.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0)
  const [type, body] = {
    lossy: [
      'VP8 ',
      Buffer.concat([Buffer.from([0x10, 0, 0, 0x9d, 1, 0x2a]), u16le(width), u16le(height)]),
    ] as const,
    lossless: ['VP8L', Buffer.concat([Buffer.from([0x2f]), bits, Buffer.alloc(5)])] as const,
    extended: [
      'VP8X',
      Buffer.concat([Buffer.alloc(4), u24le(width - 1), u24le(height - 1)]),
    ] as const,
  }[form]
  const size = Buffer.alloc(4)
  size.writeUInt32LE(body.length)
  return Buffer.concat([ascii('RIFF'), Buffer.alloc(4), ascii('WEBP'), ascii(type), size, body])
}

/** A box of an ISO base media file. */
export const box = (type: string, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  return Buffer.concat([u32be(body.length + 8), ascii(type), body])
}

export const ftyp = (major: string, ...compatible: string[]): Buffer =>
  box('ftyp', ascii(major), Buffer.alloc(4), ...compatible.map(ascii))

/** A playable film, made by a third-party encoder. */
export async function encodedFilm(film: Size & { frames: number; frameRate: number }) {
  const encoder = await hme.createH264MP4Encoder()
  try {
    encoder.width = film.width
    encoder.height = film.height
    encoder.frameRate = film.frameRate
    encoder.initialize()
    for (let frame = 0; frame < film.frames; frame++) {
      encoder.addFrameRgba(Buffer.alloc(film.width * film.height * 4, frame * 16))
    }
    encoder.finalize()
    return Buffer.from(encoder.FS.readFile(encoder.outputFilename))
  } finally {
    encoder.delete()
  }
}

/** A film with sound, whose packets are empty, muxed by a third-party library. */
export async function filmWithSound(
  film: Size & { seconds: number; layout: 'whole' | 'fragments' },
) {
  const target = new BufferTarget()
  const format = new Mp4OutputFormat({
    fastStart: film.layout === 'whole' ? false : 'fragmented',
  })
  const output = new Output({ format, target })
  const video = new EncodedVideoPacketSource('avc')
  const audio = new EncodedAudioPacketSource('opus')
  output.addVideoTrack(video)
  output.addAudioTrack(audio)
  await output.start()
  const picture = new EncodedPacket(Buffer.from([0, 0, 0, 1, 0x65]), 'key', 0, film.seconds)
  const description = Buffer.from(
    '014200 0affe1 0004 6742000a 01 0002 68ce'.replaceAll(' ', ''),
    'hex',
  )
  await video.add(picture, {
    decoderConfig: {
      codec: 'avc1.42000a',
      codedWidth: film.width,
      codedHeight: film.height,
      description,
    },
  })
  const sound = new EncodedPacket(Buffer.alloc(10), 'key', 0, film.seconds)
  await audio.add(sound, {
    decoderConfig: { codec: 'opus', sampleRate: 48_000, numberOfChannels: 1 },
  })
  await output.finalize()
  return Buffer.from(target.buffer ?? new ArrayBuffer(0))
}

/** Hands out bytes in pieces of `size`, as a download does. */
export async function* inPieces(bytes: Uint8Array, size = 1_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
