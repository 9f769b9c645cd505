import { type ReactNode, useState } from 'react'
import { thumbnailPath } from '#console/lib/media-path.ts'

type ThumbnailProps = {
  /** The address of a whole picture. */
  src: string
  alt?: string
  /** `small` up to 208 pixels wide, `medium` wider or cropped. */
  size?: 'small' | 'medium'
  className?: string | undefined
  /** Of the whole picture, so that its place is kept while it loads. */
  width?: number | null | undefined
  height?: number | null | undefined
  /** Shown if the picture is gone. */
  gone?: ReactNode
}

/** A picture, loaded small when it comes into view; whole only if it cannot be made small. */
export function Thumbnail(props: ThumbnailProps) {
  const { src, alt = '', size = 'medium', className, gone, width, height } = props
  const [failed, setFailed] = useState<{ src: string; isGone: boolean } | null>(null)
  const failure = failed?.src === src ? failed : null
  if (failure?.isGone && gone !== undefined) return gone
  const wide = thumbnailPath(src, 416)
  const sources = failure
    ? { src }
    : size === 'medium'
      ? { src: wide }
      : { src: thumbnailPath(src, 208), srcSet: `${wide} 2x` }
  return (
    <img
      {...sources}
      alt={alt}
      loading="lazy"
      decoding="async"
      className={className}
      width={width ?? undefined}
      height={height ?? undefined}
      onError={() => setFailed({ src, isGone: failure !== null || wide === src })}
    />
  )
}
