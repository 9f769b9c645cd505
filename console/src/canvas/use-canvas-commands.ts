import { useEffect, useRef } from 'react'
import { type OfferedCommand, offerCommands } from '#console/lib/commands.ts'
import type { Actions } from './actions.ts'
import { useSessionOf, useView } from './context.ts'
import type { NodeTypeInfo } from './node-types.ts'
import { wordsFor } from './other-words.ts'

type Env = {
  actions: Actions
  add(info: NodeTypeInfo, at: null): void
  onRun(): void
  onTriggers: (() => void) | null
}

/** What the search of everything can do with the open workflow. */
export function useCanvasCommands(env: Env) {
  const { isReadOnly } = useSessionOf()
  const types = useView((state) => state.types.items)
  const latest = useRef(env)
  useEffect(() => {
    latest.current = env
  })
  const hasTriggers = env.onTriggers !== null
  useEffect(() => {
    if (isReadOnly) return
    const group = 'This workflow'
    const own: OfferedCommand[] = [
      { label: 'Run', keywords: 'start execute test', run: () => latest.current.onRun() },
      {
        label: 'Add a note',
        keywords: 'sticky comment text',
        run: () => void latest.current.actions.addNote(null),
      },
      { label: 'Tidy', keywords: 'layout arrange', run: () => latest.current.actions.tidy() },
    ].map((command) => ({ ...command, id: `canvas ${command.label}`, group }))
    if (hasTriggers)
      own.push({
        ...{ id: 'canvas triggers', label: 'Triggers', group },
        keywords: 'schedule cron webhook timer start automatic activate',
        run: () => latest.current.onTriggers?.(),
      })
    const nodes = types.map((info) => ({
      ...{ id: `add ${info.type}`, label: `Add ${info.label}`, group: 'Add a node' },
      keywords: wordsFor(info.type),
      run: () => latest.current.add(info, null),
    }))
    return offerCommands([...own, ...nodes])
  }, [isReadOnly, types, hasTriggers])
}
