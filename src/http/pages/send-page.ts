import type { FastifyReply } from 'fastify'
import type { Page } from './page.ts'

export const sendPage = (
  reply: FastifyReply,
  { html, contentSecurityPolicy }: Page,
  headers: Record<string, string> = {},
) =>
  reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', contentSecurityPolicy)
    .header('referrer-policy', 'no-referrer')
    .header('cache-control', 'no-cache')
    .headers(headers)
    .send(html)
