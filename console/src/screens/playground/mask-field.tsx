import { Brush, X } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { mediaPath } from '#console/lib/media-path.ts'
import { Button } from '#console/ui/button.tsx'
import { IconButton } from '#console/ui/icon-button.tsx'
import { Thumbnail } from '#console/ui/thumbnail.tsx'

const MaskDialog = lazy(async () => ({
  default: (await import('./mask-dialog.tsx')).MaskDialog,
}))

type MaskFieldProps = {
  owner: string
  /** The address of the picture that the mask is for. */
  picture: string
  mask: string | null
  onChange(mask: string | null): void
}

/** Which part of the picture may change. Without a mask that is all of it. */
export function MaskField({ owner, picture, mask, onChange }: MaskFieldProps) {
  const [isOpen, setOpen] = useState(false)
  const path = mediaPath(picture)
  // Only media on this server can be shown: the page may load nothing from elsewhere.
  const isOurs = path.startsWith('/') || picture.startsWith('data:')
  const open = (
    <Button icon={<Brush size={16} aria-hidden />} disabled={!isOurs} onClick={() => setOpen(true)}>
      {mask ? 'Change the mask' : 'Paint a mask'}
    </Button>
  )
  return (
    <div className="flex flex-col gap-2">
      {mask ? (
        <div className="flex items-start gap-3 rounded-md border border-line p-3">
          <div className="relative shrink-0">
            <Thumbnail size="small" src={path} className="max-h-20 max-w-28 rounded-sm" />
            <img
              src={mediaPath(mask)}
              alt="What stays as it is, darkened"
              className="absolute inset-0 size-full rounded-sm opacity-70"
            />
          </div>
          <div className="flex min-w-0 grow flex-col items-start gap-2">
            <p className="text-sm">A mask is applied: only the bright part changes.</p>
            {open}
          </div>
          <IconButton
            label="Remove the mask"
            icon={<X size={16} aria-hidden />}
            onClick={() => onChange(null)}
          />
        </div>
      ) : (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {open}
          <span className="text-soft text-xs">
            {isOurs
              ? 'So that only a part of the picture changes.'
              : 'Upload the picture to paint on it.'}
          </span>
        </div>
      )}
      {isOpen && (
        <Suspense fallback={null}>
          <MaskDialog
            {...{ owner, picture }}
            onClose={() => setOpen(false)}
            onMade={(made) => {
              setOpen(false)
              onChange(made)
            }}
          />
        </Suspense>
      )}
    </div>
  )
}
