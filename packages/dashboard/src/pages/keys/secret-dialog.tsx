import { useBlocker } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { gatewayUrl } from '../../gateway-url.ts'
import { Snippets } from '../../snippets/snippets.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'

type SecretDialogProps = {
  readonly title: string
  readonly secret: string
  readonly scope: 'inference' | 'management'
  /** A model that the key may use. */
  readonly model: string
  /** What there is to say of the key besides. */
  readonly children?: ReactNode
  readonly onClose: () => void
}

/** Shows a secret, the only time that anybody sees it. When the dialog goes, the page has it no more. */
export function SecretDialog({ title, secret, scope, model, children, onClose }: SecretDialogProps) {
  // Going back, by a button or a gesture, would close it by accident. Whoever is signed out meanwhile is still led away.
  useBlocker({ shouldBlockFn: ({ action }) => action !== 'PUSH' && action !== 'REPLACE', enableBeforeUnload: true })
  return (
    <Dialog title={title} onClose={onClose} isInsistent isWide>
      <div className="space-y-5">
        <Banner tone="warning" title="Copy the key now">
          It is shown this once. Nobody can look it up later, we neither: a lost key is rotated.
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
              gatewayUrl={gatewayUrl()}
              secret={secret}
              model={model}
              messages={[{ role: 'user', content: 'Say hello.' }]}
              isStream={false}
            />
          </section>
        ) : (
          <p className="text-sm text-ink-soft">
            Your server sends it as <code className="font-mono">Authorization: Bearer …</code> to{' '}
            {window.location.origin}
            /api/keys, and there creates, changes and revokes keys of this account.
          </p>
        )}
        <DialogActions>
          <Button tone="primary" onClick={onClose}>
            I have copied it
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  )
}
