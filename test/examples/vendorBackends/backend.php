<?php
// Verifies the token in POSTERN_TOKEN with Google's library, and prints the response as JSON.
require '/usr/share/php/ReCaptcha/autoload.php';

$url = getenv('POSTERN_URL') . '/recaptcha/api/siteverify';
$recaptcha = new ReCaptcha\ReCaptcha(getenv('POSTERN_SECRET'), new ReCaptcha\RequestMethod\Post($url));
$recaptcha->setExpectedHostname('example.com')->setChallengeTimeout(300);
if ($argv[1] === 'v3') {
    $recaptcha->setExpectedAction('login')->setScoreThreshold(0.5);
}
$response = $recaptcha->verify(getenv('POSTERN_TOKEN'), '203.0.113.1');
echo json_encode([
    'isAccepted' => $response->isSuccess(),
    'codes' => $response->getErrorCodes(),
    'hostname' => $response->getHostname(),
    'score' => $response->getScore(),
    'action' => $response->getAction(),
]);
