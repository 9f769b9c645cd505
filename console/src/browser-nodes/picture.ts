/** Draws on a canvas and returns the result as a PNG. */
export function toPng(
  width: number,
  height: number,
  draw: (context: CanvasRenderingContext2D) => void,
): Promise<Blob> {
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(width))
  canvas.height = Math.max(1, Math.round(height))
  const context = canvas.getContext('2d')
  if (!context) return Promise.reject(new Error('This browser cannot draw pictures.'))
  draw(context)
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error('The picture could not be made.'))),
      'image/png',
    ),
  )
}

/** In per cent of the picture's size. */
export type Frame = { x: number; y: number; width: number; height: number }

export const cropPicture = (image: HTMLImageElement, frame: Frame): Promise<Blob> => {
  const { naturalWidth, naturalHeight } = image
  const left = (frame.x / 100) * naturalWidth
  const top = (frame.y / 100) * naturalHeight
  const width = (frame.width / 100) * naturalWidth
  const height = (frame.height / 100) * naturalHeight
  return toPng(width, height, (context) =>
    context.drawImage(image, left, top, width, height, 0, 0, width, height),
  )
}
