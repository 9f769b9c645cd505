import type { ListedRun } from '#console/api/types.ts'

type StarterWordsProps = { starter: NonNullable<ListedRun['startedBy']> }

const words = { trigger: 'Trigger', key: 'Key', person: '' }

/** What started a run: a trigger, a key or a person. */
export const StarterWords = ({ starter: { kind, id, name } }: StarterWordsProps) =>
  `${words[kind]} ${name ?? `${id.slice(0, 8)} (gone)`}`.trim()
