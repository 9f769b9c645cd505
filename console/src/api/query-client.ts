import { QueryClient } from '@tanstack/react-query'
import { ApiFailure } from './api-failure.ts'

const maxRetries = 2

/** Reads are repeated where the server says that it may help; writes never by themselves. */
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
