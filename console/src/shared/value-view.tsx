import { Download } from 'lucide-react'
import { useState } from 'react'
import { formatBytes } from '#console/lib/bytes.ts'
import { mediaPath } from '#console/lib/media-path.ts'
import { saveText } from '#console/lib/save-text.ts'
import { Button } from '#console/ui/button.tsx'
import { Code } from '#console/ui/code.tsx'
import { JsonTree } from '#console/ui/json-tree.tsx'
import { MediaViewer } from '#console/ui/media-viewer.tsx'
import { shownAs, textOf } from './value-kind.ts'

type ValueViewProps = { name: string; value: unknown }

/** A value of a run: media to view, text to read, anything else to unfold. */
export function ValueView({ name, value }: ValueViewProps) {
  const [index, setIndex] = useState(0)
  const shown = shownAs(value)
  switch (shown.kind) {
    case 'media':
      return (
        <MediaViewer
          items={shown.media.map(({ url, mimeType }, place) => ({
            src: mediaPath(url),
            mimeType,
            alt: shown.media.length > 1 ? `${name}, ${place + 1}` : name,
          }))}
          index={Math.min(index, shown.media.length - 1)}
          onIndex={setIndex}
          size="panel"
        />
      )
    case 'text':
      return (
        <Code
          label={`value of ${name}`}
          text={shown.text}
          wrap
          className="max-h-120 overflow-auto"
        />
      )
    case 'texts':
      return (
        <ol className="flex max-h-120 flex-col gap-2 overflow-y-auto">
          {shown.texts.map((text, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two texts may read the same
            <li key={place}>
              <Code label={`${name}, ${place + 1}`} text={text} wrap />
            </li>
          ))}
        </ol>
      )
    case 'json':
      return <JsonTree value={shown.value} openDepth={2} />
    case 'cut':
      return (
        <div className="flex flex-col gap-2">
          <div className="flex flex-wrap items-center justify-between gap-2 text-soft text-sm">
            The first 256 KiB of {formatBytes(shown.bytes)}
            <Button
              size="small"
              icon={<Download size={14} aria-hidden />}
              onClick={() => download(name, value)}
            >
              Download
            </Button>
          </div>
          <Code
            label={`value of ${name}`}
            text={shown.text}
            wrap
            className="max-h-120 overflow-auto"
          />
        </div>
      )
    default:
      return shown satisfies never
  }
}

function download(name: string, value: unknown) {
  const isText = typeof value === 'string'
  const file = `${name.replace(/[^\w-]+/g, '-')}.${isText ? 'txt' : 'json'}`
  saveText(textOf(value), file, isText ? 'text/plain' : 'application/json')
}
