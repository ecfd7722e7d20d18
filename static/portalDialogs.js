// Dialogs (portal/components/dialog.tsx) in browsers that do not know the attributes `command` or `closedby`.

if (!('command' in HTMLButtonElement.prototype)) {
  document.addEventListener('click', (event) => {
    const button = event.target.closest('button[commandfor]');
    if (button === null) return;
    // The browser would show the dialog as a popover.
    event.preventDefault();
    const dialog = document.getElementById(button.getAttribute('commandfor'));
    if (button.getAttribute('command') === 'close') dialog.close();
    else dialog.showModal();
  });
}

if (!('closedBy' in HTMLDialogElement.prototype)) {
  document.addEventListener('click', ({ target, clientX, clientY }) => {
    if (!target.matches('dialog')) return;
    const { left, right, top, bottom } = target.getBoundingClientRect();
    // The target is the dialog also for its padding.
    if (clientX < left || clientX > right || clientY < top || clientY > bottom) target.close();
  });
}
