import { useState } from 'react'
import { portLook, portTypes } from '#console/lib/port-looks.ts'
import { Card } from '#console/ui/card.tsx'
import { DropZone } from '#console/ui/drop-zone.tsx'
import { MediaViewer } from '#console/ui/media-viewer.tsx'

const items = ['first', 'second'].map((name) => ({
  src: '/favicon.svg',
  mimeType: 'image/svg+xml',
  alt: `The ${name} picture`,
}))

export function KitMedia() {
  const [index, setIndex] = useState(0)
  const [said, setSaid] = useState('Choose, drop or paste a picture')
  return (
    <Card title="Media and ports">
      <div className="grid gap-6 md:grid-cols-2">
        <MediaViewer items={items} index={index} onIndex={setIndex} />
        <div className="flex flex-col gap-6">
          <DropZone
            label="Add a picture"
            accept="image/*"
            hint={said}
            onFiles={(files) => setSaid(files.map(({ name }) => name).join(', '))}
            onRefused={(names) => setSaid(`Not a picture: ${names.join(', ')}`)}
          />
          <ul className="flex flex-wrap gap-4">
            {portTypes.map((type) => (
              <li key={type} className="flex items-center gap-1.5 text-sm">
                <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
                  <path d={portLook(type).path} fill={portLook(type).colour} fillRule="evenodd" />
                </svg>
                {type}
              </li>
            ))}
          </ul>
        </div>
      </div>
    </Card>
  )
}
