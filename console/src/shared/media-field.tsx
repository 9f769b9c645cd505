import { useMutation } from '@tanstack/react-query'
import { Images, X } from 'lucide-react'
import { useState } from 'react'
import { toApiFailure } from '#console/api/api-failure.ts'
import { uploadMedia } from '#console/api/upload-media.ts'
import { mediaPath } from '#console/lib/media-path.ts'
import { Button } from '#console/ui/button.tsx'
import { DropZone } from '#console/ui/drop-zone.tsx'
import { FieldProblem } from '#console/ui/field-problem.tsx'
import { IconButton } from '#console/ui/icon-button.tsx'
import { Poster } from '#console/ui/poster.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import { Thumbnail } from '#console/ui/thumbnail.tsx'
import { GalleryDialog } from './gallery-dialog.tsx'

type MediaFieldProps = {
  label: string
  kind: 'image' | 'video'
  /** The address of the chosen image or video. */
  value: string | null
  onChange(url: string | null): void
}

/** An image or video: a file, dropped, pasted, given by its address, or chosen from the gallery. */
export function MediaField({ label, kind, value, onChange }: MediaFieldProps) {
  const [problem, setProblem] = useState<string | null>(null)
  const [isGalleryOpen, setGalleryOpen] = useState(false)
  const upload = useMutation({
    mutationFn: uploadMedia,
    onSuccess: onChange,
    onError: (error) => setProblem(toApiFailure(error).message),
  })
  if (value) return <Chosen label={label} kind={kind} url={value} onRemove={() => onChange(null)} />
  return (
    <div className="flex flex-col gap-2">
      <DropZone
        label={upload.isPending ? 'Uploading…' : label}
        accept={`${kind}/*`}
        disabled={upload.isPending}
        onFiles={([file]) => {
          setProblem(null)
          if (file) upload.mutate(file)
        }}
        onRefused={([name]) =>
          setProblem(`${name} is not ${kind === 'image' ? 'an image' : 'a video'}.`)
        }
      />
      <div className="flex gap-2">
        <AddressInput kind={kind} onChange={onChange} />
        <Button icon={<Images size={16} aria-hidden />} onClick={() => setGalleryOpen(true)}>
          Gallery
        </Button>
      </div>
      {problem && <FieldProblem id={`${label}-problem`} text={problem} />}
      {isGalleryOpen && (
        <GalleryDialog
          kind={kind}
          onClose={() => setGalleryOpen(false)}
          onChoose={(url) => {
            setGalleryOpen(false)
            onChange(url)
          }}
        />
      )}
    </div>
  )
}

type ChosenProps = { label: string; kind: 'image' | 'video'; url: string; onRemove(): void }

/** Only media on this server can be shown: the page may load nothing from elsewhere. */
function Chosen({ label, kind, url, onRemove }: ChosenProps) {
  const path = mediaPath(url)
  const isOurs = path.startsWith('/') || url.startsWith('data:')
  return (
    <div className="flex items-start gap-3 rounded-md border border-line p-3">
      {isOurs && kind === 'image' && (
        <Thumbnail size="small" src={path} alt={label} className="max-h-32 max-w-40 rounded-sm" />
      )}
      {isOurs && kind === 'video' && (
        <Poster src={path} alt={label} className="max-h-32 max-w-40 rounded-sm" />
      )}
      {!isOurs && <code className="min-w-0 grow text-sm [overflow-wrap:anywhere]">{url}</code>}
      <IconButton
        label={`Remove ${label.toLowerCase()}`}
        icon={<X size={16} aria-hidden />}
        onClick={onRemove}
        className="ml-auto"
      />
    </div>
  )
}

type AddressInputProps = { kind: 'image' | 'video'; onChange(url: string): void }

function AddressInput({ kind, onChange }: AddressInputProps) {
  const [text, setText] = useState('')
  const take = () => {
    if (URL.canParse(text) && /^https?:/.test(text)) onChange(text)
  }
  return (
    <TextInput
      type="url"
      aria-label={`Address of the ${kind}`}
      placeholder="https://…"
      value={text}
      onChange={({ target }) => setText(target.value)}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return
        event.preventDefault()
        take()
      }}
    />
  )
}
