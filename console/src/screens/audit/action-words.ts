// The entries of the audit log in words for people.
import type { AuditEntry } from '#console/api/types.ts'

export type AuditAction = AuditEntry['action']

export const actionWords: Record<AuditAction, string> = {
  'account.created': 'Account created',
  'account.set-up': 'Server set up',
  'member.joined': 'Member joined',
  'sign-in': 'Signed in',
  'sign-in.failed': 'Sign-in failed',
  'sign-in.limited': 'Too many failed sign-ins',
  'sign-out': 'Signed out',
  'session.ended': 'Session ended',
  'password.changed': 'Password changed',
  'two-step.started': 'Two-step sign-in setup started',
  'two-step.on': 'Two-step sign-in turned on',
  'two-step.off': 'Two-step sign-in turned off',
  'recovery-codes.renewed': 'Recovery codes renewed',
  'token.minted': 'Access token made',
  'key.created': 'API key created',
  'key.changed': 'API key changed',
  'key.revoked': 'API key revoked',
  'member.changed': 'Member changed',
  'member.removed': 'Member removed',
  'member.two-step-reset': 'Two-step sign-in turned off for a member',
  'invitation.created': 'Invitation created',
  'invitation.withdrawn': 'Invitation withdrawn',
  'recovery-link.created': 'Recovery link created',
  'app.connected': 'App connected',
  'app.disconnected': 'App disconnected',
  'app.token-reused': 'App disconnected: an old token was used again',
  'account.changed': 'Account changed',
  'stand-in-price.changed': 'Stand-in price changed',
  'models.added': 'Models added to the server',
  'route.changed': 'Route changed',
  'route.deleted': 'Route deleted',
  'budget.changed': 'Budget changed',
  'budget.raised': 'Budget raised',
  'default-tag.changed': 'Default tag changed',
  'call.settled': 'Cost of a call settled',
  'account.switched': 'Account on this server disabled or enabled',
  'credential.created': 'Credential stored',
  'credential.replaced': 'Credential replaced',
  'credential.deleted': 'Credential deleted',
  'webhook-secret.read': 'Webhook secret shown',
  'webhook.tested': 'Test webhook sent',
  'webhook.redelivered': 'Webhook sent again',
  'webhook.changed': 'Webhook of the account changed',
  'webhook-secret.rotated': 'Webhook secret rotated',
  'workflow.created': 'Workflow created',
  'workflow.changed': 'Workflow changed',
  'workflow.deleted': 'Workflow deleted',
  'version.noted': 'Note of a version changed',
  'wait.answered': 'Answered what a run waits for',
  'trigger.created': 'Trigger made',
  'trigger.changed': 'Trigger changed',
  'trigger.deleted': 'Trigger deleted',
  'trigger.fired': 'Trigger fired by hand',
  'media.uploaded': 'File uploaded',
  'media.deleted': 'Image or video deleted',
  'audit.exported': 'Audit log exported',
  'secret-key.replaced': 'Server’s secret key replaced',
}

export const isAction = (text: string | undefined): text is AuditAction =>
  text !== undefined && Object.hasOwn(actionWords, text)

export function actorText({ kind, id, name }: AuditEntry['actor']): string {
  if (kind === 'server') return 'The server'
  return kind === 'key' ? `Key ${name ?? id}` : (name ?? id ?? 'Someone')
}
