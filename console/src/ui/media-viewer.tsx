import { ChevronLeft, ChevronRight, Download, ZoomIn, ZoomOut } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { cx } from '#console/lib/cx.ts'
import { thumbnailPath } from '#console/lib/media-path.ts'
import { goneWords, useGone } from '#console/lib/use-gone.ts'
import { IconButton } from './icon-button.tsx'

export type MediaItem = {
  /** An address on this server. */
  src: string
  mimeType: string
  /** A description for people who cannot see it. */
  alt: string
  /** Of a picture, if known, so that it does not grow when the whole one replaces its thumbnail. */
  width?: number | undefined
  height?: number | undefined
}

type MediaViewerProps = {
  items: readonly MediaItem[]
  index: number
  onIndex(index: number): void
  /** `panel` beside other content, `page` if the media are the main content. */
  size?: 'page' | 'panel'
}

const heights = { page: 'max-h-[70dvh]', panel: 'max-h-96' }

/** One of several images or videos; arrow keys change it, a button shows an image at full size. */
export function MediaViewer({ items, index, onIndex, size = 'page' }: MediaViewerProps) {
  const [isZoomed, setZoomed] = useState(false)
  const item = items[index]
  const { isGone, onError } = useGone(item?.src ?? '')
  if (!item) return null
  const go = (to: number) => {
    setZoomed(false)
    onIndex(Math.max(0, Math.min(items.length - 1, to)))
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys repeat what the buttons do
    <div
      className="flex min-w-0 flex-col gap-2"
      onKeyDown={(event) => {
        if (event.target instanceof HTMLVideoElement) return
        if (event.key === 'ArrowLeft') go(index - 1)
        if (event.key === 'ArrowRight') go(index + 1)
      }}
    >
      <div
        className={cx(
          'flex items-center justify-center rounded-md bg-sunken',
          isZoomed ? 'max-h-[80dvh] items-start justify-start overflow-auto' : 'overflow-hidden',
        )}
      >
        {isGone ? (
          <p className="px-4 py-8 text-center text-soft">
            {goneWords}: it was deleted, or its time was over.
          </p>
        ) : (
          <Medium
            item={item}
            fit={isZoomed ? 'max-w-none' : `${heights[size]} max-w-full`}
            onError={onError}
          />
        )}
      </div>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <div className="flex items-center gap-1">
          {items.length > 1 && (
            <>
              <IconButton
                label="Previous"
                icon={<ChevronLeft size={16} aria-hidden />}
                disabled={index === 0}
                onClick={() => go(index - 1)}
              />
              <span className="text-soft text-sm">
                {index + 1} of {items.length}
              </span>
              <IconButton
                label="Next"
                icon={<ChevronRight size={16} aria-hidden />}
                disabled={index === items.length - 1}
                onClick={() => go(index + 1)}
              />
            </>
          )}
        </div>
        {!isGone && <Actions item={item} isZoomed={isZoomed} onZoom={() => setZoomed(!isZoomed)} />}
      </div>
    </div>
  )
}

type ActionsProps = { item: MediaItem; isZoomed: boolean; onZoom(): void }

function Actions({ item, isZoomed, onZoom }: ActionsProps) {
  return (
    <div className="flex items-center gap-1">
      {!isVideo(item) && (
        <IconButton
          label={isZoomed ? 'Fit' : 'Full size'}
          icon={isZoomed ? <ZoomOut size={16} aria-hidden /> : <ZoomIn size={16} aria-hidden />}
          aria-pressed={isZoomed}
          onClick={onZoom}
        />
      )}
      <a
        href={item.src}
        download
        aria-label="Download"
        title="Download"
        className="inline-flex size-8 items-center justify-center rounded-sm text-soft hover:bg-sunken hover:text-ink pointer-coarse:size-11"
      >
        <Download size={16} aria-hidden />
      </a>
    </div>
  )
}

const isVideo = ({ mimeType }: MediaItem): boolean => mimeType.startsWith('video/')

type PictureProps = { item: MediaItem; fit: string; onError(): void }

/** The thumbnail, which lists have loaded already, is shown until the whole picture is there. */
function Picture({ item: { src, alt, width, height }, fit, onError }: PictureProps) {
  const small = thumbnailPath(src, 416)
  const [isWhole, setWhole] = useState(small === src)
  const tellGone = useEffectEvent(onError)
  useEffect(() => {
    const whole = new Image()
    whole.onload = () => setWhole(true)
    whole.onerror = () => tellGone()
    whole.src = src
    return () => {
      whole.onload = null
      whole.onerror = null
    }
  }, [src])
  return (
    <img
      src={isWhole ? src : small}
      width={width}
      height={height}
      alt={alt}
      className={cx(fit, 'object-contain')}
    />
  )
}

type MediumProps = { item: MediaItem; fit: string; onError(): void }

function Medium({ item, fit, onError }: MediumProps) {
  const { src, alt } = item
  if (!isVideo(item)) return <Picture key={src} {...{ item, fit, onError }} />
  return (
    // biome-ignore lint/a11y/useMediaCaption: generated films have no speech to caption
    <video
      key={src}
      src={src}
      onError={onError}
      controls
      playsInline
      aria-label={alt}
      className={fit}
    />
  )
}
