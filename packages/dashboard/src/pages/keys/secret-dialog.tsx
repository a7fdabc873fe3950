import { Link, useBlocker } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useChatModels } from '../../chat-models/use-chat-models.ts'
import { gatewayUrl } from '../../page-facts.ts'
import { Snippets } from '../../snippets/snippets.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button, buttonLook } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { type HandedOverKey, handOverKey } from '../playground/token-source.ts'

interface SecretDialogProps {
  readonly title: string
  readonly secret: string
  readonly scope: 'inference' | 'management'
  /** A model that the key may use. */
  readonly model: string
  /** The new key, if the playground can try it. */
  readonly tryIt?: HandedOverKey
  /** What became of a try; nothing if nobody waits for it. */
  readonly outcome?: ReactNode
  /** Further notices about the key. */
  readonly children?: ReactNode
  readonly onClose: () => void
}

/** Shows a secret once. Closing the dialog removes it from the page. */
export function SecretDialog({ title, secret, scope, model, tryIt, outcome, children, onClose }: SecretDialogProps) {
  const models = useChatModels()
  // Going back by accident must not close the dialog. Redirects to sign-in after the session ends still work.
  useBlocker({ shouldBlockFn: ({ action }) => action !== 'PUSH' && action !== 'REPLACE', enableBeforeUnload: true })
  return (
    <Dialog title={title} onClose={onClose} isDismissable={false} isWide>
      <div className="space-y-5">
        <Banner tone="warning" title="Copy the key now">
          We can’t show it again. If you lose it, rotate the key.
        </Banner>
        <div className="flex flex-wrap items-center gap-2 rounded-xl border border-line bg-sunken p-3">
          <code data-secret className="min-w-0 flex-1 font-mono text-sm break-all">
            {secret}
          </code>
          <CopyButton text={secret} what="the key" />
        </div>
        {children}
        {scope === 'inference' ? (
          <section aria-label="Try it">
            <h3 className="mb-2 text-sm font-medium">Try it</h3>
            <Snippets
              api={models.find(({ id }) => id === model)?.api ?? 'chat'}
              gatewayUrl={gatewayUrl()}
              secret={secret}
              model={model}
              messages={[{ role: 'user', content: 'Say hello.' }]}
              isStream={false}
            />
          </section>
        ) : (
          <p className="text-sm text-ink-soft">
            To create, change and revoke keys of this account, your server sends it as{' '}
            <code className="font-mono">Authorization: Bearer …</code> to {window.location.origin}/api/keys.
          </p>
        )}
        {outcome}
        <DialogActions>
          {tryIt !== undefined && (
            <Link to="/dashboard/playground" onClick={() => handOverKey(tryIt)} className={buttonLook()}>
              Try it in the playground
            </Link>
          )}
          <Button tone="primary" onClick={onClose}>
            Done
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  )
}
