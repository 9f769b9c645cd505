import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import type { PanelName } from '#console/canvas/panel-name.ts'

const route = getRouteApi('/framed/workflows/$workflowId')

/** The address holds the open panel and the selected node, without adding history entries. */
export function useCanvasAddress() {
  const navigate = route.useNavigate()
  const { panel = null, node, run = null, with: other = null } = route.useSearch()
  const setPanel = useCallback(
    (next: PanelName | null) =>
      void navigate({
        search: ({ panel: _, ...rest }) => (next ? { ...rest, panel: next } : rest),
        replace: true,
      }),
    [navigate],
  )
  const setNode = useCallback(
    (id: string | null) =>
      void navigate({
        search: ({ node: _, ...rest }) => (id === null ? rest : { ...rest, node: id }),
        replace: true,
      }),
    [navigate],
  )
  const onShow = useCallback(
    (runId: string | null) =>
      void navigate({
        search: ({ run: _, with: __, ...rest }) => (runId ? { ...rest, run: runId } : rest),
        replace: true,
      }),
    [navigate],
  )
  const onCompare = useCallback(
    (runId: string | null) =>
      void navigate({
        search: ({ with: _, ...rest }) => (runId ? { ...rest, with: runId } : rest),
        replace: true,
      }),
    [navigate],
  )
  const shown = useMemo(
    () => ({ runId: run, otherId: other, onShow, onCompare }),
    [run, other, onShow, onCompare],
  )
  return { panel, node, setPanel, setNode, shown }
}
