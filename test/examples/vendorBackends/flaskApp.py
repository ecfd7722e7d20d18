"""Serves a form with Flask-WTF's reCAPTCHA field, configured as docs/migrate/applications.md describes. Prints its URL."""
import logging
import os
from flask import Flask, render_template_string
from flask_wtf import FlaskForm, RecaptchaField
from werkzeug.serving import make_server
from wtforms import StringField

postern = os.environ["POSTERN_URL"]
app = Flask(__name__)
app.config.update(
    SECRET_KEY="test",
    WTF_CSRF_ENABLED=False,
    RECAPTCHA_PUBLIC_KEY=os.environ["POSTERN_SITEKEY"],
    RECAPTCHA_PRIVATE_KEY=os.environ["POSTERN_SECRET"],
    RECAPTCHA_SCRIPT=f"{postern}/recaptcha/api.js",
    RECAPTCHA_VERIFY_SERVER=f"{postern}/recaptcha/api/siteverify",
)


class SignUpForm(FlaskForm):
    name = StringField()
    recaptcha = RecaptchaField()


@app.route("/", methods=["GET", "POST"])
def sign_up():
    form = SignUpForm()
    if form.validate_on_submit():
        return {"isAccepted": True}
    if form.is_submitted():
        return {"isAccepted": False, "errors": form.errors["recaptcha"]}
    return render_template_string("<!doctype html><form method=post>{{ form.recaptcha }}<button>Send</button></form>", form=form)


# Without a line for each request.
logging.getLogger("werkzeug").setLevel(logging.ERROR)
server = make_server("127.0.0.1", 0, app)
print(f"http://127.0.0.1:{server.port}/", flush=True)
server.serve_forever()
