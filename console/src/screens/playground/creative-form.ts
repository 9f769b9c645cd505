// What the form of an image or a video holds, kept while the person looks at something else.
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { keptValues, useKept } from '#console/lib/use-kept.ts'
import type { PlaygroundSearch } from './address.ts'
import type { CreativeKind, CreativeSettings } from './creative.ts'

export type CreativeForm = {
  modelId: string | undefined
  prompt: string
  /** The address of a picture to start from. */
  image: string | null
  /** The address of a mask for it. */
  mask: string | null
  settings: CreativeSettings
  /** How many are made at once. */
  count: number
  /** As typed. */
  seed: string
}

const empty: CreativeForm = {
  ...{ modelId: undefined, prompt: '', image: null, mask: null, settings: {}, count: 1, seed: '' },
}

const nameOf = (kind: CreativeKind, owner: string) => `${owner}.${kind}`

export function useCreativeForm(kind: CreativeKind, owner: string) {
  const [form, setForm] = useKept<CreativeForm>(nameOf(kind, owner), empty)
  const change = (part: Partial<CreativeForm>) => setForm((now) => changed(now, part))
  // What was kept before a field existed lacks it.
  return [{ ...empty, ...form }, change] as const
}

/** A mask belongs to its picture. */
const changed = (form: CreativeForm, part: Partial<CreativeForm>): CreativeForm => ({
  ...form,
  ...(part.image === undefined || part.image === form.image ? {} : { mask: null }),
  ...part,
})

/** A starting point in the address replaces that part of the form, then leaves the address. */
export function useStart(kind: CreativeKind, owner: string | undefined, search: PlaygroundSearch) {
  const navigate = useNavigate()
  const { model, prompt, image } = search
  useEffect(() => {
    if (!owner || [model, prompt, image].every((value) => value === undefined)) return
    const now = (keptValues.get(nameOf(kind, owner)) as CreativeForm | undefined) ?? empty
    const part = {
      ...(model === undefined ? {} : { modelId: model }),
      ...(prompt === undefined ? {} : { prompt }),
      ...(image === undefined ? {} : { image }),
    }
    keptValues.set(nameOf(kind, owner), changed(now, part))
    const to = kind === 'IMAGE' ? '/playground/image' : '/playground/video'
    void navigate({ to, search: {}, replace: true })
  }, [kind, owner, model, prompt, image, navigate])
}
