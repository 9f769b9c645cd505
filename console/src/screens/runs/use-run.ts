import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { readNodeTypes } from '#console/canvas/calls.ts'
import type { RunState } from '#console/canvas/run/run-state.ts'
import { createRunStore, type RunStore } from './run-context.ts'

/** The state in a store, so that a change re-renders only what it concerns. */
export function useRunStore(state: RunState): RunStore {
  const [store] = useState(() => createRunStore(state))
  useEffect(() => store.setState(state, true), [store, state])
  return store
}

export const useNodeTypes = () =>
  useQuery({
    queryKey: ['node types'],
    queryFn: readNodeTypes,
    staleTime: Number.POSITIVE_INFINITY,
  })
