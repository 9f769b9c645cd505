// One draft, wherever it is stored: on the server, or in this browser while the server cannot be
// reached. If another tab has written the draft meanwhile, this one continues under a new id.

export type DraftBody = { workflowId?: number; baseVersion?: number; name: string; data: unknown }

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

export function createStoredDraft({ server, local, newId, ...opened }: StoredDraftOptions) {
  let { id, revision } = opened
  let isHere = false

  async function putOnServer(body: DraftBody): Promise<void> {
    let answer = await server.put(id, body, revision)
    if (answer === 'taken') {
      id = newId()
      answer = await server.put(id, body, null)
    }
    if (answer === 'taken') throw new Error('a new draft cannot be taken')
    revision = answer
    if (isHere) await local.remove(id).catch(() => undefined)
    isHere = false
  }

  async function putHere(body: DraftBody): Promise<'kept here' | 'lost'> {
    try {
      await local.put(id, body)
      isHere = true
      return 'kept here'
    } catch {
      return 'lost'
    }
  }

  function renew(): void {
    id = newId()
    revision = null
    isHere = false
  }

  return {
    get id() {
      return id
    },
    /** Null while it is not on the server. */
    get revision() {
      return revision
    },
    put: (body: DraftBody): Promise<'kept' | 'kept here' | 'lost'> =>
      putOnServer(body).then(
        () => 'kept',
        () => putHere(body),
      ),
    /** The draft stays where it is; further edits are stored under a new id. */
    renew,
    /** Renews at once; resolves when the old draft has been removed everywhere. */
    async remove(): Promise<void> {
      const gone = { id, isStored: revision !== null, isHere }
      renew()
      if (gone.isHere) await local.remove(gone.id).catch(() => undefined)
      if (gone.isStored) await server.remove(gone.id).catch(() => undefined)
    },
  }
}
