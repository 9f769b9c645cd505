/** `?action=` shows one kind of entry, `?cursor=` older ones. */
export type AuditSearch = { action?: string; cursor?: string }

export const auditSearch = (search: Record<string, unknown>): AuditSearch => ({
  ...(typeof search.action === 'string' ? { action: search.action } : {}),
  ...(typeof search.cursor === 'string' ? { cursor: search.cursor } : {}),
})
