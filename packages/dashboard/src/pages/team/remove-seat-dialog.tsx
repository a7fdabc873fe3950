import { call } from '../../api/call.ts'
import { queryClient, refresh } from '../../api/queries.ts'
import { isolate } from '../../format/visible-text.ts'
import { Form } from '../../forms/form.tsx'
import { tellOtherTabs } from '../../layout/other-tabs.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { useNews } from '../../ui/news.tsx'

export type Leaving = { readonly kind: 'self' | 'member' | 'invitation'; readonly id: string; readonly name: string }

const texts = {
  self: {
    title: () => 'Leave the team?',
    consequence:
      'You go back to your own account, plan and keys, which work again. The keys that you made for the team stay with it.',
    action: 'Leave the team',
    news: 'You have left the team.'
  },
  member: {
    title: (name: string) => `Remove ${isolate(name)}?`,
    consequence:
      'They lose access to the team’s keys, usage and plan at once. Keys that they have made stay with the team and go on working: revoke those that they know.',
    action: 'Remove from the team',
    news: 'The seat is free again.'
  },
  invitation: {
    title: (name: string) => `Withdraw the invitation of ${isolate(name)}?`,
    consequence: 'Its link stops working. You can invite the same address again.',
    action: 'Withdraw invitation',
    news: 'The invitation is withdrawn.'
  }
} as const

/** A seat that is given up or taken away, or an invitation that is withdrawn: what follows, before it is done. */
export function RemoveSeatDialog({ leaving, onClose }: { readonly leaving: Leaving; readonly onClose: () => void }) {
  const tell = useNews()
  const { kind, id, name } = leaving
  const { title, consequence, action, news } = texts[kind]
  return (
    <Dialog title={title(name)} description={consequence} onClose={onClose}>
      <Form
        read={() => ({ ok: true, values: null })}
        submit={async () => {
          await call('removeSeat', { params: { id } })
          tell(news)
          onClose()
          // Everything that was read before belonged to the other account.
          if (kind === 'self') {
            tellOtherTabs()
            await queryClient.resetQueries()
          } else await refresh('getTeam')
        }}
      >
        {(isBusy) => (
          <DialogActions>
            <Button disabled={isBusy} onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" tone="danger" isBusy={isBusy}>
              {action}
            </Button>
          </DialogActions>
        )}
      </Form>
    </Dialog>
  )
}
