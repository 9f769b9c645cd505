import { QueryClient } from '@tanstack/react-query'
import { ApiFailure } from './api-failure.ts'

const maxRetries = 2

/** Failed reads are retried if the server says that may help; writes are never retried. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      refetchOnWindowFocus: true,
      retry: (count, error) =>
        count < maxRetries && error instanceof ApiFailure && error.retryable && error.status >= 500,
      retryDelay: (count) => Math.min(8_000, 500 * 2 ** count),
    },
    mutations: { retry: false },
  },
})
