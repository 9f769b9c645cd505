import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { addShortcut } from '#console/lib/shortcuts.ts'
import { sections } from './sections.ts'

/** A tab of Runs, with a key of its own. */
const live = { to: '/runs/live', label: 'Live', key: 'l' } as const

/** `g` followed by a letter opens a section. Renders nothing. */
export function GoKeys() {
  const navigate = useNavigate()
  useEffect(() => {
    const removers = [...sections, live].map(({ key, label, to }) =>
      addShortcut({
        keys: `g ${key}`,
        label,
        group: 'Go to',
        run: () => void navigate({ to }),
      }),
    )
    return () => {
      for (const remove of removers) remove()
    }
  }, [navigate])
  return null
}
