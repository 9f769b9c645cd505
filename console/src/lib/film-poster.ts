// The first picture of a film, made by the browser, which has the decoder. It is kept while the
// page is open and no longer, so nothing of a deleted film stays behind.

const maxKept = 100
const maxWidth = 416
const kept = new Map<string, Promise<string | null>>()
let last: Promise<unknown> = Promise.resolve()

/** An address of the picture, or null if the film cannot be decoded here or is gone. */
export function posterOf(src: string): Promise<string | null> {
  // The signature of an address changes every hour, and the film does not.
  const [film = src] = src.split('?')
  const known = kept.get(film)
  if (known) return known
  // One after the other: decoders are few, and each reads the beginning of its film.
  const made = last.then(() => draw(src)).catch(() => null)
  last = made
  kept.set(film, made)
  const [oldest] = kept.keys()
  if (kept.size > maxKept && oldest !== undefined) void forget(oldest)
  return made
}

async function forget(film: string) {
  const url = await kept.get(film)
  kept.delete(film)
  if (url) URL.revokeObjectURL(url)
}

async function draw(src: string): Promise<string | null> {
  const video = document.createElement('video')
  video.muted = true
  video.preload = 'auto'
  try {
    video.src = src
    await happens(video, 'loadeddata')
    // Many films begin with black.
    video.currentTime = Math.min(0.1, video.duration / 2)
    await happens(video, 'seeked')
    const canvas = document.createElement('canvas')
    const scale = Math.min(1, maxWidth / video.videoWidth)
    canvas.width = Math.round(video.videoWidth * scale)
    canvas.height = Math.round(video.videoHeight * scale)
    canvas.getContext('2d')?.drawImage(video, 0, 0, canvas.width, canvas.height)
    const blob = await new Promise<Blob | null>((resolve) =>
      canvas.toBlob(resolve, 'image/webp', 0.8),
    )
    return blob && URL.createObjectURL(blob)
  } finally {
    // Ends the download and gives the decoder back.
    video.removeAttribute('src')
    video.load()
  }
}

const happens = (video: HTMLVideoElement, event: 'loadeddata' | 'seeked') =>
  new Promise<void>((resolve, reject) => {
    video.addEventListener(event, () => resolve(), { once: true })
    video.addEventListener('error', () => reject(video.error), { once: true })
  })
