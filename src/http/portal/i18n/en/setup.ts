/** The setup of the server: the first user. */
export const setup = {
  title: 'Set up Postern',
  about: 'Create the first user, who is an administrator. This form works only once.',
  name: 'Your name',
  nameHelp: 'Other members see this name. You can change it later.',
  organization: 'Name of your organization',
  organizationHelp: 'The organization owns the properties that you protect. You can change its name later.',
  button: 'Create first user',
  noUsers: 'There are no users yet. The server printed a setup link to its standard output when it started.',
  findLink:
    'The line begins with <code>Setup link:</code>. Each start of the server prints a new link and invalidates the previous one.',
  command: 'You can also create the first user on the command line:',
  copyCommand: 'Copy command',
} as const;
