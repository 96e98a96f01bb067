"""URLs of the demo shop."""

from django.urls import path

from gateway.demo import hooks, mail, shop

urlpatterns = [
    path("hooks", hooks.works),
    path("hooks/broken", hooks.is_broken),
    path("mail", mail.page),
    path("shop", shop.page),
    path("shop/payments", shop.create),
    path("shop/payments/<str:payment_id>", shop.look_up),
    path("shop/payments/<str:payment_id>/end", shop.end),
    path("shop/payments/<str:payment_id>/simulation", shop.simulate),
]
