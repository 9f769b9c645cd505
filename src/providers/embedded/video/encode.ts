import hme from 'h264-mp4-encoder'
import type { Size } from '../art/svg.ts'

/**
 * H.264 Baseline in an MP4, its index still at the end. Only ever in a worker thread: the module
 * takes over the process's handlers for uncaught errors, and it blocks.
 */
export async function encodeMp4(
  { width, height }: Size,
  framesPerSecond: number,
  shoot: (onFrame: (rgba: Uint8Array) => void) => Promise<void>,
): Promise<Uint8Array> {
  const encoder = await hme.createH264MP4Encoder()
  try {
    encoder.width = width
    encoder.height = height
    encoder.frameRate = framesPerSecond
    encoder.groupOfPictures = framesPerSecond
    encoder.quantizationParameter = 25
    encoder.speed = 6
    encoder.initialize()
    await shoot((rgba) => encoder.addFrameRgba(rgba))
    encoder.finalize()
    const file = encoder.FS.readFile(encoder.outputFilename)
    encoder.FS.unlink(encoder.outputFilename)
    return file
  } finally {
    encoder.delete()
  }
}
