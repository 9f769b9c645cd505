import { newId } from '#console/lib/ids.ts'

/**
 * The idempotency key of a form: created with it, and renewed only when the content to send
 * changes. So a second click, or one after a lost answer, finds the run that the first click
 * started.
 */
export function createSubmissionKey(makeId: () => string = newId): (content: unknown) => string {
  let sent: string | null = null
  let key = makeId()
  return (content) => {
    const text = JSON.stringify(content)
    if (sent !== null && sent !== text) key = makeId()
    sent = text
    return key
  }
}
