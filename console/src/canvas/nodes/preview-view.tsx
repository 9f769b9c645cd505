import type { Preview } from '#console/canvas/run/shown-run.ts'
import { formatBytes } from '#console/lib/bytes.ts'
import { counted } from '#console/lib/counted.ts'
import { mediaPath } from '#console/lib/media-path.ts'
import { formatDuration } from '#console/lib/time.ts'
import { goneWords } from '#console/lib/use-gone.ts'
import { Poster } from '#console/ui/poster.tsx'
import { Thumbnail } from '#console/ui/thumbnail.tsx'

/** The beginning of a result: enough to recognise it, never more than its box holds. */
export function PreviewView({ preview }: { preview: Preview }) {
  const { kind, text, media, count, bytes } = preview
  if (kind === 'empty') return <span className="text-soft">Empty</span>
  if (media.length > 0) return <Media preview={preview} />
  switch (kind) {
    case 'number':
    case 'boolean':
      return <span className="node-large">{text}</span>
    case 'list':
      return (
        <span className="node-lines">
          <span className="text-soft">{counted(count, 'item')}</span>
          {text && `\n${text}`}
        </span>
      )
    default:
      return <span className="node-lines">{text || formatBytes(bytes)}</span>
  }
}

function Media({ preview: { media, count, kind } }: { preview: Preview }) {
  return (
    <span className="node-media">
      {media.map(({ url, mimeType, durationSeconds }) =>
        mimeType.startsWith('image/') ? (
          <Thumbnail
            key={url}
            src={mediaPath(url)}
            gone={<span className="text-soft">{goneWords}</span>}
          />
        ) : (
          <span key={url} className="node-film">
            <Poster src={mediaPath(url)} />
            <span>
              Video
              {durationSeconds !== undefined && ` · ${formatDuration(durationSeconds * 1000)}`}
            </span>
          </span>
        ),
      )}
      {kind === 'list' && count > media.length && (
        <span className="text-soft">{counted(count, 'item')}</span>
      )}
    </span>
  )
}
