// One draft, wherever it is stored: on the server, or in this browser while the server cannot be
// reached. If another tab has written the draft meanwhile, this one continues under a new id.

/** By id of a node: the run whose result is used in place of the node. */
export type PinnedRuns = Readonly<Record<string, string>>

export type DraftBody = {
  workflowId?: number
  baseVersion?: number
  name: string
  data: unknown
  pins?: PinnedRuns
}

export type ServerDrafts = {
  /** Returns the new revision; 'taken' if another tab wrote under this id. */
  put(id: string, body: DraftBody, revision: number | null): Promise<number | 'taken'>
  remove(id: string): Promise<void>
}

export type LocalDrafts = {
  put(id: string, body: DraftBody): Promise<void>
  remove(id: string): Promise<void>
}

export type StoredDraftOptions = {
  id: string
  revision: number | null
  server: ServerDrafts
  local: LocalDrafts
  newId(): string
}

/** One id with what is known of it. A write that is on its way when the id is left belongs to it. */
type Stored = { id: string; revision: number | null; isHere: boolean; written: Promise<unknown> }

type PutState = 'kept' | 'kept here' | 'lost'

export function createStoredDraft({ server, local, newId, ...opened }: StoredDraftOptions) {
  const begin = (id: string, revision: number | null): Stored => ({
    id,
    revision,
    isHere: false,
    written: Promise.resolve(),
  })
  let draft = begin(opened.id, opened.revision)
  const renew = () => {
    draft = begin(newId(), null)
  }

  async function putOnServer(stored: Stored, body: DraftBody): Promise<void> {
    let answer = await server.put(stored.id, body, stored.revision)
    if (answer === 'taken') {
      stored.id = newId()
      answer = await server.put(stored.id, body, null)
    }
    if (answer === 'taken') throw new Error('a new draft cannot be taken')
    stored.revision = answer
    if (stored.isHere) await local.remove(stored.id).catch(() => undefined)
    stored.isHere = false
  }

  async function putHere(stored: Stored, body: DraftBody): Promise<'kept here' | 'lost'> {
    try {
      await local.put(stored.id, body)
      stored.isHere = true
      return 'kept here'
    } catch {
      return 'lost'
    }
  }

  return {
    get id() {
      return draft.id
    },
    /** Null while it is not on the server. */
    get revision() {
      return draft.revision
    },
    put(body: DraftBody): Promise<PutState> {
      const stored = draft
      const written = putOnServer(stored, body).then(
        () => 'kept' as const,
        () => putHere(stored, body),
      )
      stored.written = written
      return written
    },
    /** The draft stays where it is; further edits are stored under a new id. */
    renew,
    /** Renews at once; resolves when the old draft has been removed everywhere. */
    async remove(): Promise<void> {
      const gone = draft
      renew()
      await gone.written
      if (gone.isHere) await local.remove(gone.id).catch(() => undefined)
      if (gone.revision !== null) await server.remove(gone.id).catch(() => undefined)
    },
  }
}
