import { Link } from '@tanstack/react-router'
import type { SnippetOptions } from '../../snippets/snippet-options.ts'
import { Snippets } from '../../snippets/snippets.tsx'
import { Button } from '../../ui/button.tsx'
import { textLink } from '../../ui/class-names.ts'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'

interface CodeDialogProps {
  readonly options: Omit<SnippetOptions, 'secret' | 'isStream'>
  /** Of the key that the playground uses; null if it uses none. */
  readonly keyLabel: string | null
  readonly onClose: () => void
}

/** The call of the playground as code. */
export function CodeDialog({ options, keyLabel, onClose }: CodeDialogProps) {
  return (
    <Dialog
      title="Show as code"
      description={
        <>
          The same call in your app. Replace YOUR_API_KEY with{' '}
          {keyLabel === null ? 'a key: ' : `your key “${keyLabel}”.`}
          {keyLabel === null && (
            <Link to="/dashboard/keys" search={{ create: '1' }} target="_blank" className={textLink}>
              create one
            </Link>
          )}
        </>
      }
      onClose={onClose}
      isWide
    >
      <Snippets {...options} secret="YOUR_API_KEY" isStream />
      <DialogActions>
        <Button tone="primary" onClick={onClose}>
          Close
        </Button>
      </DialogActions>
    </Dialog>
  )
}
