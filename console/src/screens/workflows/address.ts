export type WorkflowsSearch = { page?: number }

export function workflowsSearch(search: Record<string, unknown>): WorkflowsSearch {
  const page = Number(search.page)
  return Number.isSafeInteger(page) && page > 1 ? { page } : {}
}
