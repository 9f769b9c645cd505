import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { consoleCall } from '#console/api/console-api.ts'
import type { FoundThings } from '#console/api/types.ts'
import type { Command } from '#console/ui/match-commands.ts'

const typingMs = 150

/** What the search finds on the server. What was found before stays until the answer is there. */
export function useFound(isOpen: boolean, typed: string) {
  const navigate = useNavigate()
  const q = usePaused(typed.trim())
  const isAsking = isOpen && q !== ''
  const query = useQuery({
    queryKey: ['search', q],
    queryFn: ({ signal }) => consoleCall('GET /search', { query: { q, limit: 6 }, signal }),
    enabled: isAsking,
    placeholderData: keepPreviousData,
    staleTime: 10_000,
    retry: false,
  })
  const found = isAsking && query.data ? commandsFor(query.data, navigate) : []
  const retry: Command = {
    id: 'search again',
    label: 'Search failed. Retry',
    group: 'Search',
    isFound: true,
    staysOpen: true,
    run: () => void query.refetch(),
  }
  return {
    found: isAsking && query.isError ? [...found, retry] : found,
    isSearching: isAsking && (query.isFetching || q !== typed.trim()),
  }
}

function usePaused(text: string): string {
  const [paused, setPaused] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), typingMs)
    return () => clearTimeout(timer)
  }, [text])
  return paused
}

type Navigate = ReturnType<typeof useNavigate>

function commandsFor(found: FoundThings, navigate: Navigate): Command[] {
  // The server has found them, by words that need not be in what is shown.
  const isFound = true
  return [
    ...found.workflows.map(({ id, name }) => ({
      id: `workflow ${id}`,
      label: name,
      group: 'Workflow',
      isFound,
      run: () =>
        void navigate({ to: '/workflows/$workflowId', params: { workflowId: String(id) } }),
    })),
    ...found.runs.map(({ runId, workflowName, status }) => ({
      id: `run ${runId}`,
      label: `${workflowName} · ${status.toLowerCase()} · ${runId.slice(0, 13)}`,
      group: 'Run',
      isFound,
      run: () => void navigate({ to: '/runs/$runId', params: { runId } }),
    })),
    ...found.tasks.map(({ taskId, promptPreview, kind }) => ({
      id: `task ${taskId}`,
      label: promptPreview || taskId,
      group: kind === 'IMAGE' ? 'Image' : 'Video',
      isFound,
      run: () => void navigate({ to: '/tasks/$taskId', params: { taskId } }),
    })),
    ...found.models.map(({ id, name, provider }) => ({
      id: `model ${id}`,
      label: `${name} · ${provider}`,
      group: 'Model',
      isFound,
      run: () => void navigate({ to: '/models', search: { q: id } }),
    })),
    ...found.keys.map(({ keyId, name }) => ({
      id: `key ${keyId}`,
      label: name,
      group: 'API key',
      isFound,
      run: () => void navigate({ to: '/developer/keys' }),
    })),
  ]
}
